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
  'application_default_credentials.json',
]);

const patterns: readonly RegExp[] = [
  /^\.env\..+$/,
  /.\.env$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|ppk|kdbx?|tfvars)$/,
  /\.tfvars\.json$/,
  /\.tfstate(?:\.backup|\.\d+\.backup)?$/,
  /^(?:credentials|secrets?)\.(?:json|ya?ml|toml|ini|csv|txt|properties)$/,
  /^client_?secrets?.*\.json$/,
  /service[-_]?account.*\.json$/,
];

/** Shown to everybody on purpose: `.env.example`. */
const samples = /[._-](?:example|sample|template|dist|defaults?)$/;

/** Whether a file of this name should not be read unless somebody names it. Only the name is looked at. */
export function looksSecret(name: string): boolean {
  const lower = name.toLowerCase();
  if (samples.test(lower) || samples.test(lower.replace(/\.[a-z]+$/, ''))) return false;
  return names.has(lower) || patterns.some((pattern) => pattern.test(lower));
}
