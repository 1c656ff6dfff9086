/**
 * Runs the public JSON Schema test suite against our validator: `node bench/schema-suite.ts FOLDER`, where FOLDER is
 * `tests/draft2020-12` of a checkout of json-schema-org/JSON-Schema-Test-Suite. Groups that refer to other documents are
 * left out, as nothing is ever fetched.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../src/base/hub-error.ts';
import { compileJsonSchema, type JsonSchema } from '../src/base/json-schema/json-schema.ts';
import { schemaFaults } from '../src/base/json-schema/schema-faults.ts';

interface Group {
  description: string;
  schema: JsonSchema | boolean;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of the suite: node bench/schema-suite.ts FOLDER');
let passed = 0;
let leftOut = 0;
const failed: string[] = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const groups: Group[] = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const group of groups) runGroup(file, group);
}
for (const line of failed) console.log(line);
const all = passed + failed.length;
console.log(`${passed} of ${all} passed (${((100 * passed) / all).toFixed(2)} %), ${leftOut} need another document`);

function runGroup(file: string, { description, schema, tests }: Group): void {
  if (needsOthers(schema)) {
    leftOut += tests.length;
    return;
  }
  for (const test of tests) {
    if (accepts(schema, test.data) === test.valid) passed += 1;
    else failed.push(`${file}: ${description}: ${test.description}: should be ${test.valid ? 'accepted' : 'refused'}`);
  }
}

function needsOthers(schema: JsonSchema | boolean): boolean {
  if (typeof schema === 'boolean') return false;
  const isOwnDialect = typeof schema.$schema === 'string' && !schema.$schema.endsWith('/draft/2020-12/schema');
  return isOwnDialect || schemaFaults(schema).some(({ message }) => message.includes('nothing is fetched'));
}

function accepts(schema: JsonSchema | boolean, value: unknown): boolean | undefined {
  const known = typeof schema === 'boolean' ? { allOf: [schema] } : schema;
  try {
    compileJsonSchema(known)(value);
    return true;
  } catch (error) {
    return error instanceof HubError && !error.message.startsWith('The schema cannot be used') ? false : undefined;
  }
}
