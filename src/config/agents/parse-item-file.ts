import { basename } from 'node:path';
import { parse } from 'yaml';
import { HubError } from '../../base/hub-error.ts';
import { fieldIssues } from '../../base/validate.ts';
import { TsItem } from './ts-agent.ts';

/** Between a first line `---` and the next one: the fields. Below them: the text. */
const frontmatter = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n([\s\S]*))?$/;

/**
 * Parses a rule or reference in a file of its own (`rules/NAME.mdt`, `refs/NAME.mdt`), as older versions of TsAgent write it. Throws
 * INVALID_CONFIG with the file and the rule.
 */
export function parseItemFile(text: string, path: string): TsItem {
  const file = basename(path);
  const [whole, fields = '', body = ''] = frontmatter.exec(text) ?? [];
  if (whole === undefined)
    throw new HubError('INVALID_CONFIG', `${file}: must begin with fields between two lines of "---".`);
  const read = readFields(fields, file);
  const name = typeof read.name === 'string' && read.name !== '' ? read.name : file.replace(/\.mdt$/i, '');
  const result = TsItem.safeParse({ ...read, name, text: body.trim() });
  if (result.success) return result.data;
  const issues = fieldIssues(result.error).map(({ path: key, message }) => `${key}: ${message}`);
  throw new HubError('INVALID_CONFIG', `${file}: ${issues.join('; ')}`);
}

function readFields(text: string, file: string): Record<string, unknown> {
  try {
    const value: unknown = parse(text, { version: '1.2', schema: 'core', maxAliasCount: 0 });
    if (value === null || value === undefined) return {};
    if (typeof value === 'object' && !Array.isArray(value)) return { ...value };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    throw new HubError('INVALID_CONFIG', `${file}: its fields are not YAML: ${why.slice(0, 200)}`, { cause: error });
  }
  throw new HubError('INVALID_CONFIG', `${file}: its fields must be "key: value" lines.`);
}
