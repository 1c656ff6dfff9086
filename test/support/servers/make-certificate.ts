import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { dayMs } from '../../../src/base/clock.ts';

export interface TestCertificate {
  /** PEM. */
  cert: string;
  key: string;
}

/** Makes a self-signed certificate for names and IPv4 addresses. Node has no function for it, so this writes the DER by hand (RFC 5280). */
export function makeCertificate(
  names: readonly string[],
  { days = 365, now = Date.now() }: { days?: number; now?: number } = {},
): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(set(sequence(oid(2, 5, 4, 3), node(0x0c, Buffer.from('Agent Zoo test')))));
  const signed = sequence(
    node(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    subject,
    sequence(time(now - 2 * dayMs), time(now + days * dayMs)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    node(0xa3, sequence(sequence(oid(2, 5, 29, 17), node(0x04, sequence(...names.map(alternativeName)))))),
  );
  return { cert: pem(sequence(signed, ecdsaWithSha256, bits(signature(signed, privateKey)))), key: pkcs8(privateKey) };
}

/** Writes a certificate and its key into a folder, as `cert.pem` and `key.pem`. Returns their paths. */
export async function writeCertificate(folder: string, { cert, key }: TestCertificate) {
  const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await writeFile(paths.cert, cert);
  await writeFile(paths.key, key, { mode: 0o600 });
  return paths;
}

function signature(bytes: Buffer, key: KeyObject): Buffer {
  return sign('sha256', bytes, key);
}

function pkcs8(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 4) return node(0x87, Buffer.from(name.split('.').map(Number)));
  return node(0x82, Buffer.from(name));
}

function time(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '');
  return node(0x18, Buffer.from(text));
}

function sequence(...parts: Buffer[]): Buffer {
  return node(0x30, ...parts);
}

function set(...parts: Buffer[]): Buffer {
  return node(0x31, ...parts);
}

function integer(value: Buffer): Buffer {
  return node(0x02, value);
}

function bits(value: Buffer): Buffer {
  return node(0x03, Buffer.from([0]), value);
}

function oid(first: number, second: number, ...rest: number[]): Buffer {
  const encode = (value: number): number[] => {
    const low = value & 0x7f;
    return value < 128 ? [low] : [...encode(value >> 7).map((byte) => byte | 0x80), low];
  };
  return node(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(encode)]));
}

const ecdsaWithSha256 = sequence(oid(1, 2, 840, 10_045, 4, 3, 2));

function node(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
