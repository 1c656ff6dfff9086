/** Secrets that must never be stored or shown, as part of a text and as a separate field. */
export interface PlantedSecret {
  name: string;
  /** The text to search for afterwards. */
  value: string;
  /** The value as users and programs write it. */
  text: string;
  /** The environment variable with this value. */
  env?: string;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Concatenated here, so that nothing in this file looks like a leaked key. */
export function plantSecrets(memberToken: string): PlantedSecret[] {
  const jwt = [`eyJ${random(30)}`, `eyJ${random(60)}`, random(43)].join('.');
  const pem = Array.from({ length: 5 }, () => random(64));
  const secrets: (Omit<PlantedSecret, 'text'> & { wrap?: (value: string) => string })[] = [
    { name: 'a variable named like a key', value: `${random(35)} ${random(35)}`, env: 'PAYMENTS_API_KEY' },
    { name: 'a variable named like a password', value: `"${random(8)}\\${random(8)}/`, env: 'MAIL_PASSWORD' },
    { name: 'a variable named like a token', value: random(16), env: 'CI_JOB_TOKEN' },
    { name: 'a variable that the config names', value: `plain ${random(10)}`, env: 'HOUSE_NUMBER' },
    { name: 'a bearer header', value: random(24), wrap: (value) => `Authorization: Bearer ${value}` },
    {
      name: 'a bearer in prose',
      value: `${random(20)}.${random(9)}`,
      wrap: (value) => `call it with Bearer ${value} then`,
    },
    {
      name: 'a basic header',
      value: Buffer.from(`user:${random(12)}`).toString('base64'),
      wrap: (value) => `authorization: Basic ${value}`,
    },
    { name: 'a key of OpenAI', value: `sk-proj-${random(40)}` },
    { name: 'a key of Anthropic', value: `sk-ant-api03-${random(60)}-${random(10)}` },
    { name: 'a token of GitHub', value: `ghp_${random(36)}` },
    { name: 'a fine-grained token of GitHub', value: `github_pat_${random(22)}_${random(59)}` },
    { name: 'a key of AWS', value: `AKIA${random(16).toUpperCase()}` },
    { name: 'a token of Slack', value: `xoxb-${digits(12)}-${digits(12)}-${random(24)}` },
    { name: 'a key of Google', value: `AIza${random(35)}` },
    { name: 'a JSON web token', value: jwt },
    { name: 'a private key', value: pem[2] ?? '', wrap: () => privateKey(pem) },
    {
      name: 'an address with a password',
      value: random(14),
      wrap: (value) => `postgres://zoo:${value}@db.internal:5432/zoo`,
    },
    { name: 'the token of a member', value: memberToken },
    { name: 'a password in a text', value: random(14), wrap: (value) => `log in with password=${value}, then go on` },
    { name: 'a secret in quotes', value: `${random(6)} ${random(6)}`, wrap: (value) => `client_secret: "${value}"` },
    {
      name: 'a field named password',
      value: random(15),
      wrap: (value) => JSON.stringify({ user: 'a', password: value }),
    },
    { name: 'a field named apiKey', value: random(15), wrap: (value) => JSON.stringify({ deep: [{ apiKey: value }] }) },
    {
      name: 'a field named token',
      value: `${digits(4)}-${random(9)}`,
      wrap: (value) => JSON.stringify([{ access_token: value, n: 1 }]),
    },
    {
      name: 'a field named secret',
      value: random(15),
      wrap: (value) => JSON.stringify({ a: JSON.stringify({ secret: value }) }),
    },
  ];
  return secrets.map(({ wrap, ...secret }) => ({ ...secret, text: wrap?.(secret.value) ?? secret.value }));
}

/** The forms in plain text, in JSON, in nested JSON and in a URL. */
export function formsOf(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(value)])];
}

function privateKey(lines: readonly string[]): string {
  const frame = (word: string) => `-----${word} RSA PRIVATE KEY-----`;
  return [frame('BEGIN'), ...lines, frame('END')].join('\n');
}

function random(length: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte % letters.length]).join('');
}

function digits(length: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => byte % 10).join('');
}
