import { expect, it } from 'vitest';
import { looksSecret } from './secret-files.ts';

const secret = [
  ...['.env', '.ENV', '.env.local', '.env.production', 'prod.env', '.envrc', '.npmrc', '.netrc', '.git-credentials'],
  ...['id_rsa', 'id_ed25519', 'server.pem', 'server.key', 'store.jks', 'release.keystore', 'cert.p12', 'vault.kdbx'],
  ...['credentials', 'credentials.json', 'Credentials.JSON', 'secrets.yaml', 'secret.json', 'client_secret_12.json'],
  ...['service-account.json', 'my-service_account-1.json', 'terraform.tfstate', 'terraform.tfstate.backup'],
  ...['terraform.tfvars', 'prod.auto.tfvars', 'application_default_credentials.json'],
  ...['vpn-default.key', 'prod_default.pem', 'terraform-default.tfvars', 'id_rsa.dist', 'id_rsa_work', 'rootkey.csv'],
  ...['id_ed25519_sk', 'id_ed25519-github', 'db-credentials.json', 'new_user_credentials.csv', 'secrets.prod.yaml'],
  ...['client-secret.json', 'client_secret.json'],
];
const plain = [
  ...['.env.example', '.env.sample', '.env.template', 'env.md', 'environment.md', 'id_rsa.pub', 'credentials.md'],
  ...['secrets.md', 'how-to-use-credentials.json.md', 'keys.md', 'monkey', 'service-account.md', 'package.json'],
  ...['credentials.example.json', 'terraform.tfvars.example', 'key.ts', 'pem.py', '.gitignore'],
  ...['id_rsa_work.pub', 'id_ed25519.pub', 'secrets.example.yaml', 'client-secret.md', 'id_rsa2csv.py'],
];

it.each(secret)('%s looks like a secret', (name) => {
  expect(looksSecret(name)).toBe(true);
});

it.each(plain)('%s does not', (name) => {
  expect(looksSecret(name)).toBe(false);
});
