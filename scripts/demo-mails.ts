/** What the demo's team writes and decides. Times are minutes before now; `you` is the person. */
export interface DemoMail {
  at: number;
  from: string;
  to: string;
  subject: string;
  body: string;
  replies?: [at: number, body: string][];
}

export const demoMails: readonly DemoMail[] = [
  {
    at: 1552,
    from: 'you',
    to: 'lead',
    subject: 'What this week is about',
    body: 'Refunds first: nobody should be able to pay out a large sum alone. Search comes second, and the handbook fills the gaps.',
    replies: [
      [
        1546,
        'Understood. The planner cuts it into tasks now; the threat model comes before any code. You hear from me when something needs a person.',
      ],
    ],
  },
  {
    at: 1465,
    from: 'reviewer-1',
    to: 'tester-1',
    subject: 'Where is the limit tested?',
    body: 'I found tests for refunds below the limit and none at the limit itself. Do you have them somewhere else?',
    replies: [
      [1425, 'No, they are missing. I add three: one cent below, exactly the limit, one cent above.'],
      [1410, 'Good. I wait for them before I call it done.'],
    ],
  },
  {
    at: 1190,
    from: 'auditor-1',
    to: 'lead',
    subject: 'Text messages are the weak point',
    body: 'Whoever holds the phone approves. I advise against it; the threat model has the cases.',
    replies: [[1180, 'Thank you. I stop that task.']],
  },
  {
    at: 620,
    from: 'planner',
    to: 'you',
    subject: 'Five minutes, or ten?',
    body: 'The index could be five minutes behind at most, which costs one more machine. Ten minutes cost nothing. Which one do you want?',
    replies: [
      [596, 'Five. People see it when a refund is missing in the list.'],
      [590, 'Then five it is. The machine is in the plan for search.'],
    ],
  },
  {
    at: 205,
    from: 'responder-1',
    to: 'lead',
    subject: 'Key of the archive bucket',
    body: 'The export needs a key that only a person can make. I moved the task to BLOCKED and take the next one.',
  },
  {
    at: 150,
    from: 'lead',
    to: 'you',
    subject: 'Two things only you can do',
    body: 'Both hold up work:\n\n1. **The bank** has to renew the certificate of its sandbox. They only talk to you.\n2. **The archive bucket** needs a key that may write and not read.\n\nA short answer is enough; I tell the others.',
  },
  {
    at: 75,
    from: 'writer-1',
    to: 'you',
    subject: 'May customers see who approved?',
    body: 'The mail about an approved refund could name the person who approved it. I would leave the name out. Is that right?',
  },
  {
    at: 24,
    from: 'planner',
    to: 'you',
    subject: 'Today: 7 done, 3 to review, 2 blocked',
    body: 'Done since yesterday: the limit in the ledger, the threat model, faster builds of the index, and one command for a rollback.\n\nTo review: the approval page waits for **you**, the other two for me.\n\nBlocked: the sandbox of the bank and the archive bucket, see the mail of the lead.',
  },
];

export const demoDecisions: readonly [at: number, member: string, title: string, body: string][] = [
  [1535, 'planner', 'The threat model comes before any code', 'Two designs are possible; the attack decides which.'],
  [1405, 'tester-1', 'Test at the limit itself', 'Rules break where they begin, so three cents around the limit.'],
  [1195, 'lead', 'No refunds by text message', 'A phone proves who holds it, not who it belongs to.'],
  [
    1005,
    'responder-1',
    'Stay on the old cluster',
    'The new one has half the disk; moving twice costs more than waiting.',
  ],
  [
    880,
    'reviewer-1',
    'Follow changes instead of building anew',
    'Forty seconds instead of nine minutes, for one table more.',
  ],
  [588, 'planner', 'Five minutes, one machine more', 'Decided by a person; the costs are in the plan.'],
  [310, 'reviewer-1', 'The second person is named', 'A group would leave open who looked at it.'],
  [215, 'writer-1', 'Asker and approver side by side', 'What is shown need not be looked up.'],
  [85, 'lead', 'Previews go to staging until noon', 'The preview cluster is being repaired.'],
  [32, 'auditor-1', 'Nobody approves for their own manager', 'Pressure is the attack that leaves no trace.'],
];
