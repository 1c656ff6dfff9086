/** The documents of the demo hub by path: a small team handbook. */
export const demoDocuments: Readonly<Record<string, string>> = {
  'runbooks/payments.md': `---
tags: [runbook, payments]
---
# Payments runbook

The payments service takes card payments and refunds. It runs in two regions; each can carry the whole load.

## Card errors rise

Check the status page of the card network first, because most errors come from there. If it is green, compare the
error codes of both regions.

- One region only: send its traffic to the other one with \`traffic shift payments --to west\`.
- Both regions: roll back the last release, then read the logs.

## Roll back a release

Roll back before you look for the cause. The last good image stays in the registry for thirty days.

\`\`\`sh
deploy rollback payments --to previous
deploy watch payments
\`\`\`

The queue repeats interrupted refunds. None is lost and none is paid twice.

## Refunds pile up

The queue \`refunds\` stops automatically when the bank responds slowly. Restart it when the bank is back:

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

The index is built every ten minutes. If the page shows older results, check whether the last build failed and start
it manually. Running a build twice is harmless.

## Queries are slow

Warm the cache after a restart, and check that no export runs during the day.
`,
  'handbook/on-call.md': `---
tags: [people]
---
# On call

## Your week

You carry the pager from Monday at ten. Two people share a week: the first answers, and the second takes over if the
first does not answer within five minutes.

## During an incident

One person leads and does not type. Record the time of everything you see and change. Announce every step in the
channel before you take it.

## After an incident

Within three days, the lead writes a report without names. The team reads it together the next week.
`,
  'handbook/releases.md': `---
tags: [releases]
---
# Releases

## Before a release

A second person has reviewed every change, and its tests pass. Nobody releases on a Friday afternoon.

## After a release

Watch the graphs for fifteen minutes. If errors rise by more than one percent, roll back first and talk later.
`,
  'services/refund.ts': `import { limits } from './limits.ts';

export interface Refund {
  payment: string;
  cents: number;
}

/** Refunds at most the paid amount. Repeating the same refund pays only once. */
export async function refund({ payment, cents }: Refund): Promise<void> {
  if (cents > limits.refund) throw new Error('A refund above the limit needs a second person.');
  await ledger.write({ payment, cents: -cents, key: \`refund \${payment}\` });
}
`,
};

/** A script that searches the knowledge base for its prompt. */
export const demoScript = `agent = {
  tags = { "operations" },
  name = "runbook-reader",
  description = "Reads the runbook of one service before answering",
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
