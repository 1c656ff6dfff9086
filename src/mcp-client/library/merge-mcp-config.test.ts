import { describe, expect, it } from 'vitest';
import type { MCPConfig, MCPServerEntry } from './mcp-config.ts';
import { mergeMCPConfig } from './merge-mcp-config.ts';

const url = 'https://mcp.example.com/mcp';
const files: MCPConfig = {
  serverName: 'files',
  transport: 'stdio',
  connection: { command: 'node', args: ['a', 'b'], env: { A: '1', B: '2' } },
  include: ['read_*'],
};
const cloud: MCPConfig = {
  serverName: 'cloud',
  transport: 'sse',
  connection: { url, headers: { 'X-A': '1' } },
  auth: { type: 'bearer', token: 't' },
};

describe('two configs', () => {
  it('merge env key by key; the override wins, and lists are replaced', () => {
    const merged = mergeMCPConfig(files, { connection: { args: ['c'], env: { B: '3', C: '4' } }, exclude: ['x'] });
    expect(merged).toEqual({
      serverName: 'files',
      transport: 'stdio',
      connection: { command: 'node', args: ['c'], env: { A: '1', B: '3', C: '4' } },
      include: ['read_*'],
      exclude: ['x'],
    });
  });

  it('merge headers key by key, and also auth of the same kind', () => {
    const merged = mergeMCPConfig(cloud, { connection: { headers: { 'X-B': '2' } }, auth: { token: 'u' } });
    expect(merged.connection).toEqual({ url, headers: { 'X-A': '1', 'X-B': '2' } });
    expect(merged.auth).toEqual({ type: 'bearer', token: 'u' });
  });

  it('drop auth of another kind', () => {
    expect(mergeMCPConfig(cloud, { auth: { type: 'api-key', key: 'k' } }).auth).toEqual({ type: 'api-key', key: 'k' });
  });

  it('drop the settings of another kind of connection', () => {
    expect(mergeMCPConfig(cloud, { connection: { command: 'node' } })).toEqual({
      serverName: 'cloud',
      connection: { command: 'node' },
    });
    expect(mergeMCPConfig(files, { connection: { url }, transport: 'sse' })).toMatchObject({
      transport: 'sse',
      connection: { url },
    });
  });

  it('follow the same rules in the short form', () => {
    const base: MCPServerEntry = { command: 'node', args: ['a'], env: { A: '1' } };
    expect(mergeMCPConfig(base, { env: { B: '2' } })).toMatchObject({ command: 'node', env: { A: '1', B: '2' } });
    expect(mergeMCPConfig(base, { url })).toEqual({ url });
  });

  it('undefined keeps a value, and null removes it', () => {
    expect(mergeMCPConfig(cloud, { auth: undefined }).auth).toEqual({ type: 'bearer', token: 't' });
    expect(mergeMCPConfig(cloud, { auth: null }).auth).toBeNull();
  });

  it('are not changed, and the result shares nothing mutable with them', () => {
    const override = { connection: { env: { C: '3' } }, include: ['x'] };
    const before = [structuredClone(files), structuredClone(override)];
    const merged = mergeMCPConfig(files, override);
    (merged.connection as { env: Record<string, string> }).env.A = 'changed';
    (merged.connection as { args: string[] }).args.push('changed');
    expect([files, override]).toEqual(before);
    expect(merged.include).not.toBe(override.include);
  });

  it('keep transformers as the same objects', () => {
    class Prefix {
      #prefix = 'mcp_';
      transform<T extends { name: string }>(tool: T): T {
        return { ...tool, name: `${this.#prefix}${tool.name}` };
      }
    }
    const prefix = new Prefix();
    expect(mergeMCPConfig<MCPConfig>({ ...files, transformers: [prefix] }).transformers?.[0]).toBe(prefix);
  });

  it('cannot reach a prototype', () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "connection": {"__proto__": {"polluted": true}}}');
    mergeMCPConfig(files, hostile);
    expect({}).not.toHaveProperty('polluted');
  });
});
