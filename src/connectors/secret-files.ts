/** Files that hold passwords, keys or tokens by custom. Compared in lower case. */
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

/** Keys and the like: nobody shows one as a sample, whatever else its name says. */
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

/** Shown to everybody on purpose: `.env.example`. */
const samples = /[._-](?:example|sample|template|dist|defaults?)$/;

/** Whether a file of this name should not be read unless somebody names it. Only the name is looked at. */
export function looksSecret(name: string): boolean {
  const lower = name.toLowerCase();
  if (keys.some((pattern) => pattern.test(lower))) return true;
  if (samples.test(lower) || samples.test(lower.replace(/\.[a-z]+$/, ''))) return false;
  return names.has(lower) || patterns.some((pattern) => pattern.test(lower));
}
