import { expect, it } from 'vitest';
import * as api from '../src/index.ts';

it('the library exports exactly these values', () => {
  expect(Object.keys(api).sort()).toEqual([
    'AgentRegistry',
    'HubError',
    'ToolContent',
    'compilePrompt',
    'createHub',
    'defineAgent',
    'defineTool',
    'loadConfig',
    'serveHttp',
    'serveMcpStdio',
    'version',
  ]);
});
