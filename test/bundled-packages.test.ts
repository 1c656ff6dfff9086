import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { billOfMaterials, bundledPackages, thirdPartyNotices } from '../scripts/bundled-packages.ts';
import { root } from '../scripts/run-step.ts';

const fileOf = (name: string) => `node_modules/${name}/index.js`;

it.each([
  ['a file', 'hono', 'Permission is hereby granted'],
  ['a section of its README', 'isarray', 'Copyright (c) 2013 Julian Gruber'],
  ['no text, MIT', '@bomb.sh/tab', 'Copyright (c) Bombshell Authors'],
  ['no text, Apache', '@ai-sdk/provider-utils', 'Licensed under the Apache License, Version 2.0'],
])('a bundled package with %s is named with the terms of its licence', (_, name, text) => {
  const packages = bundledPackages([fileOf(name)]);
  const notices = thirdPartyNotices(packages);
  const { version, license } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  expect(notices).toContain(`---- ${name} ${version} (${license}) ----`);
  expect(notices).toContain(text);
  const { components } = billOfMaterials({ name: 'x', version: '1.0.0', license: 'MIT' }, packages);
  expect(components).toMatchObject([{ name, version, licenses: [{ expression: license }] }]);
});
