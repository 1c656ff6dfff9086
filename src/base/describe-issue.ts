import { z } from 'zod';

type Issue = z.core.$ZodIssue;

/**
 * Says in plain words where a value is wrong and which rule it breaks. A message that a schema brings itself stays as it is; all others are
 * made here, from the code of the issue. Messages complete "The field …".
 */
export function describeIssue(issue: Issue): { path: string; message: string } {
  const { path, message } = explain(issue);
  return { path: formatPath(path), message: shorten(message, 300) };
}

interface Explained {
  path: readonly PropertyKey[];
  message: string;
}

function explain(issue: Issue): Explained {
  const { path, message } = issue;
  if (!isStandard(issue)) return { path, message };
  if (issue.code === 'invalid_union') return explainUnion(issue);
  return { path, message: ruleOf(issue) };
}

/** Tells whether the message is zod's own. A finished issue has no input, so the type that was received is left out of the comparison. */
function isStandard(issue: Issue): boolean {
  const standard = z.config().localeError?.({ ...issue, input: undefined } as z.core.$ZodRawIssue);
  const text = typeof standard === 'string' ? standard : standard?.message;
  return text !== undefined && withoutReceived(text) === withoutReceived(issue.message);
}

function withoutReceived(message: string): string {
  return message.replace(/, received .*$/s, '');
}

function ruleOf(issue: Exclude<Issue, z.core.$ZodIssueInvalidUnion>): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeRule(issue.expected, /, received (\S+)$/.exec(issue.message)?.[1]);
    case 'invalid_value':
      return choiceRule(issue.values);
    case 'too_small':
      return limitRule(issue, issue.minimum, ['at least', 'more than']);
    case 'too_big':
      return limitRule(issue, issue.maximum, ['at most', 'less than']);
    case 'invalid_format':
      return formatRule(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys': {
      const names = issue.keys.slice(0, 10).map((key) => `"${shorten(key)}"`);
      return `unknown ${names.length === 1 ? 'field' : 'fields'} ${names.join(', ')}`;
    }
    case 'invalid_key': {
      const [inner] = issue.issues;
      return `is not an accepted name${inner ? `: it ${explain(inner).message}` : ''}`;
    }
    case 'invalid_element': {
      const [inner] = issue.issues;
      return `has an entry that is not accepted${inner ? `: it ${explain(inner).message}` : ''}`;
    }
    case 'custom':
      return 'is not accepted';
  }
}

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  nan: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  date: 'a date',
  null: 'null',
  undefined: 'left out',
  never: 'left out',
};

function typeRule(expected: string, received: string | undefined): string {
  if (received === 'undefined') return 'is required';
  const rule = `must be ${typeNames[expected] ?? expected}`;
  const given = received === 'boolean' ? 'true or false' : received && typeNames[received];
  return given === undefined || expected === 'int' || expected === 'never' ? rule : `${rule}, not ${given}`;
}

function choiceRule(values: readonly z.core.util.Primitive[]): string {
  const shown = values.slice(0, 30).map(String);
  return values.length === 1 ? `must be ${shown[0]}` : `must be one of: ${shown.join(', ')}`;
}

const countedWords: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  object: ['entry', 'entries'],
  file: ['byte', 'bytes'],
};

function limitRule(
  { origin, inclusive, exact }: { origin: string; inclusive?: boolean | undefined; exact?: boolean | undefined },
  limit: number | bigint,
  [within, beyond]: [within: string, beyond: string],
): string {
  const words = exact ? 'exactly' : inclusive === false ? beyond : within;
  const number = limit.toLocaleString('en');
  const counted = countedWords[origin];
  if (origin === 'date') return `must be ${words} ${new Date(Number(limit)).toISOString()}`;
  if (!counted) return `must be ${words} ${number}`;
  if (words === 'at least' && Number(limit) === 1) return 'must not be empty';
  return `must have ${words} ${number} ${counted[Number(limit) === 1 ? 0 : 1]}`;
}

const formatWords: Record<string, string> = {
  email: 'an email address',
  url: 'an address such as https://example.com',
  uuid: 'a UUID',
  datetime: 'a date and time such as 2026-01-31T08:00:00Z',
  date: 'a date such as 2026-01-31',
  time: 'a time such as 08:00:00',
  duration: 'a duration such as PT1H',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 range such as 10.0.0.0/8',
  cidrv6: 'an IPv6 range such as fc00::/7',
  base64: 'base64',
  base64url: 'base64url',
  json_string: 'JSON',
};

function formatRule(issue: z.core.$ZodIssueInvalidStringFormat): string {
  switch (issue.format) {
    case 'starts_with':
      return `must start with "${'prefix' in issue ? issue.prefix : ''}"`;
    case 'ends_with':
      return `must end with "${'suffix' in issue ? issue.suffix : ''}"`;
    case 'includes':
      return `must contain "${'includes' in issue ? issue.includes : ''}"`;
    case 'regex':
      return `must match the pattern ${issue.pattern ?? ''}`.trim();
    default:
      return `must be ${formatWords[issue.format] ?? `a valid ${issue.format}`}`;
  }
}

/** Explains the alternative that the value comes closest to: the one that fails deepest, then the one with the fewest faults. */
function explainUnion(issue: z.core.$ZodIssueInvalidUnion): Explained {
  const { path, errors } = issue;
  if ('options' in issue && Array.isArray(issue.options) && issue.options.length > 0)
    return { path, message: choiceRule(issue.options) };
  const rules = errors.map((each) => each.map((inner) => explain(inner as Issue)));
  const depth = (found: readonly Explained[]) => Math.min(...found.map((each) => each.path.length));
  const [closest] = rules
    .filter((found) => found.length > 0)
    .toSorted((one, other) => depth(other) - depth(one) || one.length - other.length);
  const [first] = closest ?? [];
  if (!closest || !first) return { path, message: 'is not accepted' };
  if (depth(closest) > 0) return { path: [...path, ...first.path], message: first.message };
  const messages = [...new Set(rules.flatMap((found) => found.map(({ message }) => message)))];
  const alternatives = messages.map((message) => message.replace(/^must be /, '').replace(/, not .*$/, ''));
  const isOfOneKind = messages.every((message) => message.startsWith('must be '));
  return { path, message: isOfOneKind ? `must be ${alternatives.join(' or ')}` : messages.join(', or ') };
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${shorten(String(part))}`,
    )
    .join('');
}

function shorten(text: string, maxLength = 80): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
