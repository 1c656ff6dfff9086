import { isRecord } from '../../../src/base/is-record.ts';
import { holdsSecretName } from '../../../src/base/secret-names.ts';
import { UnreadText } from './form-value.ts';
import type { SchemaField } from './schema-fields.ts';

/** Returns a value without the parts that its schema or their names call secret, for storing it in the browser. */
export function withoutSecrets(field: SchemaField, value: unknown): unknown {
  if (value instanceof UnreadText) return textWithoutSecrets(value);
  if (Array.isArray(value)) {
    return field.kind === 'list'
      ? value.map((each) => withoutSecrets(field.item, each))
      : value.map(withoutSecretNames);
  }
  if (!isRecord(value)) return isSecret(field) ? undefined : value;
  if (field.kind !== 'object') return withoutSecretNames(value);
  const kept = Object.entries(value).flatMap(([name, each]) => {
    const property = field.properties.find((known) => known.name === name)?.field;
    if (holdsSecretName(name) || (property && isSecret(property))) return [];
    return [[name, property ? withoutSecrets(property, each) : withoutSecretNames(each)] as const];
  });
  return Object.fromEntries(kept);
}

function isSecret(field: SchemaField): boolean {
  return field.kind === 'text' && field.format === 'password';
}

/** For values whose schema is not known. */
function withoutSecretNames(value: unknown): unknown {
  if (value instanceof UnreadText) return textWithoutSecrets(value);
  if (Array.isArray(value)) return value.map(withoutSecretNames);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !holdsSecretName(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutSecretNames(each)]));
}

/** In text that could not be parsed, a secret cannot be told from the rest. */
function textWithoutSecrets({ text }: UnreadText): string | undefined {
  return holdsSecretName(text) ? undefined : text;
}
