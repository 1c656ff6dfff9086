import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Makes this Node report an old version. */
const pretender = [
  process.execPath,
  '--import',
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})",
];

export interface OldNode {
  name: string;
  command: readonly string[];
}

/** Returns the fake old Node, and all real old ones on this machine. */
export const oldNodes: readonly OldNode[] = [
  { name: 'a pretended one', command: pretender },
  ...installedNodes().map((node) => ({ name: node, command: [node] })),
];

function installedNodes(): string[] {
  const found = (process.env.PATH ?? '').split(delimiter).map((each) => join(each, 'node'));
  return [...new Set(found.filter(existsSync).map((node) => realpathSync(node)))].filter((node) => {
    try {
      return Number(execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 24;
    } catch {
      return false;
    }
  });
}
