/** Files that usually contain passwords, keys or tokens. Compared in lower case. */
const names = new Set([
  '.env',
  '.envrc',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.mylogin.cnf',
  '.git-credentials',
  '.htpasswd',
  '.dockercfg',
  '.dockerconfigjson',
  '.vault-token',
  '.boto',
  '.s3cfg',
  '.terraformrc',
  'kubeconfig',
  'rclone.conf',
  'credentials',
  'accesstokens.json',
  'rootkey.csv',
  'application_default_credentials.json',
]);

/** Keys and key stores. These are secret even if their names look like samples. */
const keys: readonly RegExp[] = [
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:[_-][\w-]+)?(?:\.(?:bak|backup|old|orig|dist|default|txt))?$/,
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|ppk|kdbx?|tfvars)$/,
];

const patterns: readonly RegExp[] = [
  /^\.env\..+$/,
  /.\.env$/,
  /\.tfvars\.json$/,
  /\.tfstate(?:\.backup|\.\d+\.backup)?$/,
  /^(?:credentials|secrets?)(?:\.[\w-]+)?\.(?:json|ya?ml|toml|ini|csv|txt|properties)$/,
  /[._-]credentials\.(?:json|csv)$/,
  /^client[-_]?secrets?.*\.json$/,
  /service[-_]?account.*\.json$/,
];

/** Samples that are meant to be shared, such as `.env.example`. */
const samples = /[._-](?:example|sample|template|dist|defaults?)$/;

/** Tells by the name alone whether a file may contain secrets and should be read only when named explicitly. */
export function looksSecret(name: string): boolean {
  const lower = name.toLowerCase();
  if (keys.some((pattern) => pattern.test(lower))) return true;
  if (samples.test(lower) || samples.test(lower.replace(/\.[a-z]+$/, ''))) return false;
  return names.has(lower) || patterns.some((pattern) => pattern.test(lower));
}
