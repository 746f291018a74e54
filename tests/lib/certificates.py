"""Certificates for tests, made with the openssl program: an authority, and who it vouches for."""
import pathlib
import subprocess


class Authority:
    def __init__(self, folder, name="ca"):
        self.folder, self.name = pathlib.Path(folder), name
        self.certificate = self.folder / f"{name}.pem"
        self.run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                 "-keyout", f"{name}.key", "-out", f"{name}.pem")

    def run(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def issue(self, file, name, alternatives=(), days=2):
        """Files FILE.pem and FILE.key for the common name; answers their paths."""
        self.run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                 "-keyout", f"{file}.key", "-out", f"{file}.csr")
        names = ",".join(alternatives) or f"DNS:{name}"
        (self.folder / f"{file}.ext").write_text(f"subjectAltName={names}\n")
        self.run("x509", "-req", "-in", f"{file}.csr", "-CA", f"{self.name}.pem", "-CAkey", f"{self.name}.key", "-CAcreateserial",
                 "-days", str(days), "-extfile", f"{file}.ext", "-out", f"{file}.pem")
        return self.folder / f"{file}.pem", self.folder / f"{file}.key"
