import { readClientConfig } from '../../../src/servers/import/read-client-config.ts';
import { mask, maskDefinition } from '../../../src/servers/mask-secrets.ts';
import { ServerDefinition } from '../../../src/servers/server-definition.ts';

/**
 * Returns pasted JSON as the browser may store it: what the hub reads of its servers, without their secrets. Text that cannot be read is
 * not stored, because a secret could be anywhere in it.
 */
export function pastedWithoutSecrets(text: string): string {
  const servers = readClientConfig(text).servers.map(({ name, definition }) => [name, written(definition)] as const);
  return servers.length === 0 ? '' : JSON.stringify({ mcpServers: Object.fromEntries(servers) }, null, 2);
}

export function isSecretFree(definition: ServerDefinition): boolean {
  return JSON.stringify(maskDefinition(definition)) === JSON.stringify(definition);
}

/** Leaves out secrets, and what has its default. */
function written(definition: ServerDefinition): object {
  const { transport } = definition;
  const defaults: object = ServerDefinition.parse(
    transport === 'stdio' ? { transport, command: 'x' } : { transport, url: 'http://x' },
  );
  const isDefault = (key: string, value: unknown) =>
    key !== 'transport' && JSON.stringify(Reflect.get(defaults, key)) === JSON.stringify(value);
  const kept = Object.entries(maskDefinition(definition)).filter(([key, value]) => !isDefault(key, value));
  return JSON.parse(JSON.stringify(Object.fromEntries(kept)).replaceAll(mask, ''));
}
