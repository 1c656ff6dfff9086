import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { root } from './run-step.ts';

/** A package whose code is part of a bundle. */
export interface BundledPackage {
  name: string;
  version: string;
  /** An SPDX expression, or undefined when the package names none. */
  license: string | undefined;
  /** The text of its licence; empty when it ships none. */
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
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  const file = readdirSync(path).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const licenseText = file === undefined ? '' : readFileSync(join(path, file), 'utf8').trim();
  return { name: name ?? folder, version: version ?? '', license, licenseText };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
