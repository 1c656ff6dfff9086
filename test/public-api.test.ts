import { expect, it } from 'vitest';
import * as api from '../src/index.ts';

it('the library exports exactly these values', () => {
  expect(Object.keys(api).sort()).toEqual([
    'AgentRegistry',
    'Component',
    'ContextObjectModel',
    'Engine',
    'HubError',
    'MCPClient',
    'MCPConfig',
    'MCPService',
    'MCPTool',
    'NewEpic',
    'NewMember',
    'NewTask',
    'ToolContent',
    'compilePrompt',
    'createHub',
    'defineAgent',
    'defineConnector',
    'defineTool',
    'loadConfig',
    'mergeMCPConfig',
    'ownerCaller',
    'serveHttp',
    'serveMcpStdio',
    'version',
  ]);
});
