import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createEchoServer } from './sdk-server.ts';

const [tools = '1', prompts = '0'] = process.argv.slice(2);
serveStdio(() => createEchoServer({ tools: Number(tools), prompts: Number(prompts) }));
