import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { HubError } from './hub-error.ts';

export interface CertificateFiles {
  cert: string;
  key: string;
}

export interface Certificate {
  cert: string;
  key: string;
  x509: X509Certificate;
}

/** Reads a certificate and its private key. Throws INVALID_CONFIG, which names the file and the reason. */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const cert = await readPem('cert', files.cert);
  const key = await readPem('key', files.key);
  const x509 = parsed(files.cert, 'certificate', () => new X509Certificate(cert));
  const privateKey = parsed(files.key, 'private key', () => createPrivateKey(key));
  if (!x509.checkPrivateKey(privateKey)) {
    throw new HubError(
      'INVALID_CONFIG',
      `The private key ${files.key} does not belong to the certificate ${files.cert}.`,
    );
  }
  return { cert, key, x509 };
}

async function readPem(name: 'cert' | 'key', file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new HubError('INVALID_CONFIG', `[server] ${name}: ${file} cannot be read (${code}).`, { cause: error });
  }
}

function parsed<T>(file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // The reason could quote the file, which may be a key.
    throw new HubError('INVALID_CONFIG', `${file} contains no valid ${what} (PEM).`, { cause: error });
  }
}
