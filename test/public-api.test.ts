import { expect, it } from 'vitest';
import * as api from '../src/index.ts';

it('the library exports exactly these values', () => {
  expect(Object.keys(api).sort()).toEqual([
    'AgentRegistry',
    'COM',
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
    'createEngine',
    'createHub',
    'createMCPToolFromDefinition',
    'createTool',
    'defineAgent',
    'defineConnector',
    'defineTool',
    'discoverMCPTools',
    'loadConfig',
    'mergeMCPConfig',
    'normalizeMCPConfig',
    'ownerCaller',
    'serveHttp',
    'serveMcpStdio',
    'version',
  ]);
});
