/** What the demo hub has read: a small handbook of a team, by path. */
export const demoDocuments: Readonly<Record<string, string>> = {
  'runbooks/payments.md': `---
tags: [runbook, payments]
---
# Payments runbook

The payments service takes card payments and refunds. It runs in two regions; each can carry the whole load.

## Card errors rise

Look at the status page of the card network first: most of the time the fault is theirs. When it is green, compare the
error codes of both regions.

- One region only: send its traffic to the other one with \`traffic shift payments --to west\`.
- Both regions: roll back the last release, then read the logs.

## Roll back a release

Roll back before you look for the cause. The last good image stays in the registry for thirty days.

\`\`\`sh
deploy rollback payments --to previous
deploy watch payments
\`\`\`

Refunds that were under way are repeated by the queue; none is lost and none is paid twice.

## Refunds pile up

The queue \`refunds\` stops by itself when the bank answers slowly. Start it again once the bank is back:

| Queue length | What to do |
|---|---|
| below 1,000 | nothing, it drains in minutes |
| below 50,000 | add two workers |
| above | call the lead on duty |
`,
  'runbooks/search.md': `---
tags: [runbook, search]
---
# Search runbook

## Results are old

The index is built every ten minutes. When the page shows older results, look whether the last build failed, and start
it by hand. A build that runs twice does no harm.

## Queries are slow

Warm the cache after a restart, and check that no export runs during the day.
`,
  'handbook/on-call.md': `---
tags: [people]
---
# On call

## Your week

You carry the pager from Monday at ten. Two people share a week: the first answers, the second is there when the first
does not answer within five minutes.

## During an incident

One person leads and does not type. Write down the time of everything you see and everything you change. Say in the
channel what you are about to do before you do it.

## After an incident

Within three days the lead writes what happened, without names. The next week begins with reading it together.
`,
  'handbook/releases.md': `---
tags: [releases]
---
# Releases

## Before a release

Every change has been read by a second person, and its tests are green. Nobody releases on a Friday afternoon.

## After a release

Watch the graphs for fifteen minutes. When errors rise by more than one percent, roll back first and talk later.
`,
  'services/refund.ts': `import { limits } from './limits.ts';

export interface Refund {
  payment: string;
  cents: number;
}

/** Gives money back, at most what was paid. Asking twice for the same refund pays once. */
export async function refund({ payment, cents }: Refund): Promise<void> {
  if (cents > limits.refund) throw new Error('A refund above the limit needs a second person.');
  await ledger.write({ payment, cents: -cents, key: \`refund \${payment}\` });
}
`,
};

/** A script that looks up what it tells its agent. */
export const demoScript = `agent = {
  name = "runbook-reader",
  description = "Reads the runbook of one service before it answers",
  tools = { "search", "get" },
  arguments = { { name = "service", description = "The service in question", required = true } }
}

function agent.resolve(args, config, context)
  local found = context.search(args.service .. " runbook", { limit = 2 })
  local parts = { "You know the runbook of " .. args.service .. ". Quote it." }
  for _, passage in ipairs(found) do
    parts[#parts + 1] = "From " .. passage.source_id .. ":\\n" .. passage.snippet
  end
  return {
    system = table.concat(parts, "\\n\\n"),
    messages = { { role = "user", content = "What do I do first?" } }
  }
end
`;
