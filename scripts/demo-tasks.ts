/** The tasks of the demo team. Times are minutes before now. */
export interface DemoEpic {
  key: string;
  title: string;
  description: string;
  linear?: string;
  state?: 'IN_PROGRESS' | 'COMPLETED';
}

export interface DemoTask {
  title: string;
  description?: string;
  epic?: DemoEpic['key'];
  /** The creator; the planner by default. */
  by?: 'you' | 'lead';
  priority?: 'urgent' | 'high' | 'low';
  /** Days until it is due. */
  due?: number;
  labels?: string[];
  made: number;
  worker?: string;
  given?: number;
  begun?: number;
  branch?: string;
  pr?: number;
  review?: number;
  changes?: [ago: number, comment: string];
  reviewAgain?: number;
  approved?: [ago: number, comment?: string];
  blocked?: [ago: number, comment: string];
  failed?: [ago: number, comment: string];
  comments?: [ago: number, author: string, text: string][];
}

export const demoEpics: readonly DemoEpic[] = [
  {
    key: 'rollback',
    title: 'Roll back with one command',
    description: 'The person on call restores the last good release without asking anyone.',
    linear: 'OPS-71',
    state: 'COMPLETED',
  },
  {
    key: 'refunds',
    title: 'Refunds above the limit need a second person',
    description:
      'Two people review every payout. The ledger enforces it, the console makes it easy, and every approval can be explained a year later.',
    linear: 'PAY-214',
    state: 'IN_PROGRESS',
  },
  {
    key: 'search',
    title: 'Search results no older than five minutes',
    description: 'The index follows changes instead of being rebuilt every ten minutes.',
    linear: 'SEA-88',
    state: 'IN_PROGRESS',
  },
  {
    key: 'handbook',
    title: 'A handbook for new teammates',
    description: 'After the first week, a new teammate can share on-call duty with someone else.',
    state: 'IN_PROGRESS',
  },
  {
    key: 'currencies',
    title: 'Payments in three more currencies',
    description: 'Customers in Poland, Sweden and Norway pay in their own currency.',
  },
];

export const demoTasks: readonly DemoTask[] = [
  {
    title: 'Test refunds in the sandbox of the bank',
    epic: 'refunds',
    made: 1548,
    worker: 'tester-1',
    begun: 1545,
    blocked: [1500, 'The sandbox has rejected our certificate since yesterday. The bank has to renew it.'],
  },
  {
    title: 'Keep the last good image for thirty days',
    epic: 'rollback',
    made: 1540,
    worker: 'responder-1',
    begun: 1530,
    branch: 'ops/keep-images',
    pr: 402,
    review: 1450,
    approved: [1440],
  },
  {
    title: 'Document the rule for a second signature',
    epic: 'refunds',
    made: 1512,
    worker: 'writer-1',
    begun: 1500,
    review: 1400,
    approved: [1380, 'Clear and short. Approved.'],
  },
  {
    title: 'The ledger rejects a refund above the limit',
    epic: 'refunds',
    made: 1510,
    worker: 'reviewer-1',
    begun: 1490,
    branch: 'refunds/ledger-limit',
    pr: 411,
    review: 1280,
    changes: [1260, 'A refund of exactly the limit is also rejected. The rule says "above".'],
    reviewAgain: 1100,
    approved: [1080],
  },
  {
    title: 'Measure how old search results are',
    epic: 'search',
    made: 1496,
    worker: 'tester-1',
    begun: 1480,
    branch: 'search/measure-age',
    pr: 408,
    review: 1300,
    approved: [1290, 'Median 6 minutes, worst 14. Now we know.'],
  },
  {
    title: 'Threat model for approvals',
    epic: 'refunds',
    by: 'lead',
    made: 1488,
    worker: 'auditor-1',
    begun: 1470,
    review: 1200,
    approved: [1150],
  },
  {
    title: 'Rollback waits until the old version is healthy',
    epic: 'rollback',
    made: 1445,
    worker: 'responder-1',
    begun: 1435,
    branch: 'ops/wait-for-health',
    pr: 405,
    review: 1320,
    approved: [1305],
  },
  {
    title: 'Refunds by text message',
    epic: 'refunds',
    made: 1375,
    worker: 'writer-1',
    begun: 1370,
    failed: [1200, 'Stopped: a text message does not prove who sent it. See the threat model.'],
  },
  {
    title: 'Move the index to the new cluster',
    epic: 'search',
    made: 1298,
    worker: 'responder-1',
    begun: 1290,
    branch: 'search/new-cluster',
    failed: [1000, 'The new cluster has half the promised disk space. We keep the old one until spring.'],
  },
  {
    title: 'Rebuild only what changed',
    epic: 'search',
    made: 1076,
    worker: 'reviewer-1',
    begun: 1070,
    branch: 'search/rebuild-changes',
    pr: 415,
    review: 800,
    approved: [760, 'From nine minutes to forty seconds.'],
  },
  {
    title: 'Post failed builds to the channel',
    epic: 'search',
    made: 905,
    worker: 'responder-1',
    begun: 900,
    branch: 'search/tell-channel',
    pr: 420,
    review: 300,
  },
  {
    title: 'The approval page shows who asked and why',
    description:
      'The approver sees on one page:\n\n- who asked, when, and for which payment\n- the reason in the customer’s words\n- the customer’s refunds in the last year\n\nRefunds cannot be approved from a mail or a list.',
    epic: 'refunds',
    by: 'you',
    made: 705,
    worker: 'writer-1',
    begun: 700,
    branch: 'refunds/approval-page',
    pr: 421,
    review: 180,
    comments: [
      [
        640,
        'writer-1',
        'The page has all three parts. I left out the name of the bank because it does not affect the decision.',
      ],
      [420, 'lead', 'Please also show that the requester and the approver are different people.'],
      [210, 'writer-1', 'Done: they appear side by side, and the button names whose approval is missing.'],
    ],
  },
  {
    title: 'A repeated refund pays only once',
    epic: 'refunds',
    made: 610,
    worker: 'tester-1',
    begun: 600,
    branch: 'refunds/pays-once',
    pr: 423,
    review: 50,
    comments: [
      [120, 'tester-1', '2,000 repeated requests from 4 processes: 2,000 refunds in the ledger, no duplicates.'],
    ],
  },
  {
    title: 'A second person approves in the console',
    epic: 'refunds',
    made: 430,
    worker: 'reviewer-1',
    begun: 420,
    branch: 'refunds/second-person',
    comments: [
      [300, 'reviewer-1', 'The console asks for a named second person, because the audit does not accept a group.'],
      [95, 'lead', 'Agreed. We can add groups later.'],
    ],
  },
  {
    title: 'Export old indexes at night',
    epic: 'search',
    made: 290,
    worker: 'responder-1',
    begun: 280,
    branch: 'search/export-at-night',
    blocked: [200, 'Needs a key for the archive bucket, which only a person can create.'],
  },
  {
    title: 'Check who may approve whose refund',
    epic: 'refunds',
    by: 'lead',
    priority: 'high',
    labels: ['ledger'],
    made: 250,
    worker: 'auditor-1',
    begun: 240,
    branch: 'refunds/who-approves',
  },
  { title: 'Warm the cache after a restart', epic: 'search', made: 195, worker: 'responder-1', begun: 190 },
  {
    title: 'Reading list for the first week',
    epic: 'handbook',
    made: 176,
    worker: 'writer-1',
    begun: 170,
    branch: 'handbook/first-week',
  },
  {
    title: 'Mail the customer when a refund is approved',
    epic: 'refunds',
    due: -1,
    labels: ['customers'],
    made: 130,
    worker: 'writer-1',
    given: 120,
  },
  {
    title: 'Alert when results are older than five minutes',
    epic: 'search',
    priority: 'high',
    made: 100,
    worker: 'tester-1',
    given: 90,
  },
  { title: 'Audit trail for approvals', epic: 'refunds', made: 70, worker: 'auditor-1', given: 60 },
  {
    title: 'Show the age of results on the search page',
    epic: 'search',
    made: 55,
    worker: 'tester-1',
    begun: 45,
    branch: 'search/age-on-page',
  },
  {
    title: 'A refund limit per country',
    epic: 'refunds',
    by: 'you',
    priority: 'urgent',
    due: 2,
    labels: ['ledger', 'legal'],
    made: 640,
  },
  { title: 'Find names with umlauts', epic: 'search', labels: ['bug'], made: 510 },
  { title: 'Guide to the first hour of an incident', epic: 'handbook', due: 9, made: 172 },
  { title: 'Glossary of our services', epic: 'handbook', made: 168 },
  { title: 'Remove the feature flag for old refunds', by: 'you', priority: 'low', labels: ['cleanup'], made: 65 },
];
