"""A CA of the lab's own, and a certificate of the emulated UFM that it signed: new ones for every run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

VALID = timedelta(days=30)


def write(directory: Path, name: str, *, signed: bool = True) -> tuple[Path, Path]:
    """(CA file, chain with key) for a server called ``name``. ``signed`` off: by a CA that nobody knows."""
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name, own_name = _name("fabric_drift lab CA"), _name(name)
    ca = _certificate(ca_name, ca_name, ca_key, ca_key, [x509.BasicConstraints(ca=True, path_length=0)])
    signer = ca_key if signed else ec.generate_private_key(ec.SECP256R1())
    names = x509.SubjectAlternativeName([x509.DNSName(name)])
    server = _certificate(own_name, ca_name, key, signer, [x509.BasicConstraints(ca=False, path_length=None), names])
    ca_file, chain_file = directory / "ca.pem", directory / "server.pem"
    ca_file.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    chain_file.touch(mode=0o600)
    chain_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ) + server.public_bytes(serialization.Encoding.PEM)
    )  # fmt: skip
    return ca_file, chain_file


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    extensions: list[x509.ExtensionType],
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject).issuer_name(issuer).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1)).not_valid_after(now + VALID)
    )  # fmt: skip
    for extension in extensions:
        builder = builder.add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
    return builder.sign(signer, hashes.SHA256())
