import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { root } from './run-step.ts';

/** A package whose code is part of a bundle. */
export interface BundledPackage {
  name: string;
  version: string;
  /** An SPDX expression, or undefined when the package names none. */
  license: string | undefined;
  /** The text of its licence: its own, or else the usual text with the name of its author. */
  licenseText: string;
}

/** Returns the packages that the bundled files belong to, sorted by name and version. */
export function bundledPackages(files: Iterable<string>): BundledPackage[] {
  const folders = new Set<string>();
  for (const file of files) {
    const found = [...file.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].at(-1);
    // A plugin's name may come first, followed by a colon.
    const start = Math.max(file.lastIndexOf(':', found?.index) + 1, 0);
    if (found) folders.add(relative(root, resolve(root, file.slice(start, found.index + found[0].length - 1))));
  }
  return [...folders]
    .map(readPackage)
    .sort((one, other) => compare(one.name, other.name) || compare(one.version, other.version));
}

/** Returns the licences that have to accompany the bundled code. */
export function thirdPartyNotices(packages: readonly BundledPackage[]): string {
  const notices = packages.map(
    ({ name, version, license, licenseText }) =>
      `---- ${name} ${version} (${license ?? 'see its package'}) ----\n\n${licenseText}\n`,
  );
  return `Agent Zoo contains code from these packages.\n\n${notices.join('\n')}`;
}

/**
 * Returns a CycloneDX document of everything bundled into the package: its consumers cannot see these packages in their own
 * dependency tree. The same sources give the same document.
 */
export function billOfMaterials(
  product: { name: string; version: string; license: string },
  packages: readonly BundledPackage[],
) {
  const unique = new Map(packages.map((each) => [packageUrl(each), each]));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component(product), type: 'application' } },
    components: [...unique.values()].map((each) => ({ ...component(each), type: 'library' })),
    dependencies: [{ ref: packageUrl(product), dependsOn: [...unique.keys()] }],
  };
}

function component({ name, version, license }: Pick<BundledPackage, 'name' | 'version' | 'license'>) {
  const purl = packageUrl({ name, version });
  return { 'bom-ref': purl, name, version, purl, ...(license && { licenses: [{ expression: license }] }) };
}

function packageUrl({ name, version }: { name: string; version: string }): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function readPackage(folder: string): BundledPackage {
  const path = join(root, folder);
  const {
    name = folder,
    version = '',
    license,
    author,
  } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    name?: string;
    version?: string;
    license?: string;
    author?: string | { name: string };
  };
  const holder = (typeof author === 'object' ? author.name : author) ?? `The authors of ${name}`;
  const licenseText = shippedText(path) ?? usualText(license, holder);
  if (licenseText === undefined)
    throw new Error(
      `${name} ${version} is bundled, but ships no licence (${license ?? 'none named'}). Add its text here.`,
    );
  return { name, version, license, licenseText };
}

/** Returns the licence that a package ships: a file, or a section of its README with the terms. */
function shippedText(path: string): string | undefined {
  const files = readdirSync(path);
  const file = files.find((each) => /^(licen[cs]e|copying)/i.test(each));
  if (file !== undefined) return readFileSync(join(path, file), 'utf8').trim();
  const readme = files.find((each) => /^readme/i.test(each));
  const text = readme === undefined ? '' : readFileSync(join(path, readme), 'utf8');
  const section = /^#+ *licen[cs]e\s*$([\s\S]+)/im.exec(text)?.[1]?.trim();
  return section?.includes('Permission is hereby granted') ? section : undefined;
}

/** Returns the usual text of a licence. Knows only the licences of the bundled packages that ship no text. */
function usualText(license: string | undefined, holder: string): string | undefined {
  if (license === 'MIT') return `Copyright (c) ${holder}\n\n${mitTerms}`;
  if (license === 'Apache-2.0') return `Copyright ${holder}\n\n${apacheNotice}`;
  return undefined;
}

const mitTerms = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const apacheNotice = `Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the License. You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and limitations under the License.`;

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
