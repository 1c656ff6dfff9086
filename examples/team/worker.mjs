// Usage: node worker.mjs HUB MEMBER. Set ZOO_TOKEN if the member has a token.
import { readFile } from 'node:fs/promises';

const [hub = 'http://127.0.0.1:7331', member = 'counter'] = process.argv.slice(2);

/** Calls one of the team's tools as this member. */
async function call(toolName, input = {}) {
  const token = process.env.ZOO_TOKEN;
  const response = await fetch(`${hub}/mcp/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ agentId: member, toolName, input }),
  });
  const { success, data, error } = await response.json();
  if (!success) throw new Error(`${toolName}: ${error.code}: ${error.message}`);
  return data;
}

// Without a task id, this takes the oldest pending task; no two workers get the same one.
await call('mcp__task__update_status', { status: 'IN_PROGRESS' });
const task = await call('mcp__agent__get_task');
console.log(`${member} works on "${task.title}"`);

const text = await readFile(new URL(task.description, import.meta.url), 'utf8');
const words = text.split(/\s+/).filter((word) => word !== '').length;

await call('mcp__task__add_comment', { taskId: task.id, body: `${task.description} has ${words} words.` });
await call('mcp__task__update_status', { taskId: task.id, status: 'REVIEW' });
await call('mcp__mail__send', {
  toHuman: true,
  subject: `${task.title}: done`,
  body: `${words} words. Please review.`,
});
console.log('handed in for review');
