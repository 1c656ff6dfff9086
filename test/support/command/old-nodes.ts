import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** This Node, made to say that it is an old one. */
const pretender = [
  process.execPath,
  '--import',
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})",
];

export interface OldNode {
  name: string;
  command: readonly string[];
}

/** The pretended one, and every Node of the machine that really is old. */
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
