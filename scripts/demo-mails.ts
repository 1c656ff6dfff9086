/** The mails and decisions of the demo team. Times are minutes before now; `you` is the user. */
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
    subject: 'Priorities for this week',
    body: 'Refunds first: nobody should be able to pay out a large sum alone. Search comes second. Use any spare time for the handbook.',
    replies: [
      [
        1546,
        'Understood. The planner is splitting it into tasks. The threat model comes before any code. I will write when we need you.',
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
      [1425, 'No, they are missing. I will add three: one cent below, exactly the limit, and one cent above.'],
      [1410, 'Good. I will wait for them before I approve it.'],
    ],
  },
  {
    at: 1190,
    from: 'auditor-1',
    to: 'lead',
    subject: 'Text messages are the weak point',
    body: 'Anyone who holds the phone can approve. I advise against it; see the cases in the threat model.',
    replies: [[1180, 'Thank you. I am stopping that task.']],
  },
  {
    at: 620,
    from: 'planner',
    to: 'you',
    subject: 'Five minutes or ten?',
    body: 'We can keep the index at most five minutes behind, which costs one more machine. Ten minutes costs nothing. Which do you prefer?',
    replies: [
      [596, 'Five. People notice when a refund is missing from the list.'],
      [590, 'Five it is. I added the machine to the plan for search.'],
    ],
  },
  {
    at: 205,
    from: 'responder-1',
    to: 'lead',
    subject: 'Key for the archive bucket',
    body: 'The export needs a key that only a person can create. I moved the task to BLOCKED and will take the next one.',
  },
  {
    at: 150,
    from: 'lead',
    to: 'you',
    subject: 'Two things only you can do',
    body: 'Both are blocking work:\n\n1. **The bank** has to renew the certificate of its sandbox. They only talk to you.\n2. **The archive bucket** needs a write-only key.\n\nA short reply is enough; I will tell the others.',
  },
  {
    at: 75,
    from: 'writer-1',
    to: 'you',
    subject: 'May customers see who approved?',
    body: 'The mail about an approved refund could name the approver. I would leave the name out. Do you agree?',
  },
  {
    at: 24,
    from: 'planner',
    to: 'you',
    subject: 'Today: 7 done, 3 to review, 2 blocked',
    body: 'Done since yesterday: the ledger limit, the threat model, faster index builds, and the rollback command.\n\nTo review: the approval page is waiting for **you**, the other two for me.\n\nBlocked: the sandbox of the bank and the archive bucket, see the mail of the lead.',
  },
];

export const demoDecisions: readonly [at: number, member: string, title: string, body: string][] = [
  [
    1535,
    'planner',
    'The threat model comes before any code',
    'Two designs are possible. The attacks decide between them.',
  ],
  [
    1405,
    'tester-1',
    'Test exactly at the limit',
    'Rules break at their boundaries, so test one cent below, at and above the limit.',
  ],
  [1195, 'lead', 'No refunds by text message', 'A phone proves who holds it, not who owns it.'],
  [
    1005,
    'responder-1',
    'Stay on the old cluster',
    'The new one has half the disk space. Moving twice costs more than waiting.',
  ],
  [
    880,
    'reviewer-1',
    'Follow changes instead of rebuilding',
    'Forty seconds instead of nine minutes, for one extra table.',
  ],
  [588, 'planner', 'Five minutes, one extra machine', 'Decided by a person. The plan includes the cost.'],
  [310, 'reviewer-1', 'Name the second person', 'A group would not show who reviewed it.'],
  [215, 'writer-1', 'Requester and approver side by side', 'Nobody has to look it up.'],
  [85, 'lead', 'Use staging for previews until noon', 'The preview cluster is being repaired.'],
  [32, 'auditor-1', 'Nobody approves refunds for their own manager', 'Pressure from above leaves no trace.'],
];
