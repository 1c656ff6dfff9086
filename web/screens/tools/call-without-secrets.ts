import { holdsSecretName } from '../../../src/base/secret-names.ts';
import { sameJson } from '../../parts/schema-form/form-value.ts';
import type { SchemaField } from '../../parts/schema-form/schema-fields.ts';
import { withoutSecrets } from '../../parts/schema-form/without-secrets.ts';
import type { CallAs } from './use-tool-run.ts';

/** The unsent input of a call. */
export interface CallDraft {
  value: unknown;
  as: CallAs;
  /** The text of the JSON view; null while the form is shown. */
  raw: string | null;
}

/**
 * Returns the input of a call as the browser may store it. In text that is not valid JSON, a secret cannot be told from the rest:
 * it is stored only if neither it nor the tool's schema names a secret.
 */
export function callWithoutSecrets(field: SchemaField, { value, as, raw }: CallDraft): CallDraft {
  const kept = withoutSecrets(field, value);
  const isPlain =
    raw !== null &&
    sameJson(kept, value) &&
    (isJson(raw) || !(holdsSecretName(raw) || holdsSecretName(JSON.stringify(field))));
  return { value: kept, as, raw: isPlain ? raw : null };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
