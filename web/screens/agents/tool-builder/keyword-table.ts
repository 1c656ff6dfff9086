import { UnreadText } from '../../../parts/schema-form/form-value.ts';
import {
  type Keywords,
  keywordsOf,
  type OptionalKeyword,
  type ParameterType,
  type SchemaNode,
  type Typed,
} from './schema-node.ts';

export const typeNames: Record<ParameterType, string> = {
  string: 'Text',
  number: 'Number',
  integer: 'Integer',
  boolean: 'Boolean',
  array: 'List',
  object: 'Object',
  other: 'Other (JSON)',
};

export const keywordNames: Record<OptionalKeyword, string> = {
  title: 'Title',
  default: 'Default',
  examples: 'Examples',
  enum: 'Allowed values',
  minLength: 'Min. length',
  maxLength: 'Max. length',
  pattern: 'Pattern',
  format: 'Format',
  minimum: 'Minimum',
  maximum: 'Maximum',
  exclusiveMinimum: 'Greater than',
  exclusiveMaximum: 'Less than',
  multipleOf: 'Multiple of',
  minItems: 'Min. items',
  maxItems: 'Max. items',
  uniqueItems: 'Unique items',
  additionalProperties: 'Other properties',
  minProperties: 'Min. properties',
  maxProperties: 'Max. properties',
};

/** Returns the initial value of a keyword. */
export function startOf(keyword: OptionalKeyword, type: ParameterType): Keywords[OptionalKeyword] {
  const value: Typed = type === 'string' ? '' : type === 'boolean' ? false : 0;
  switch (keyword) {
    case 'title':
      return '';
    case 'default':
      return value;
    case 'enum':
    case 'examples':
      return [value];
    case 'uniqueItems':
      return true;
    case 'additionalProperties':
      return false;
    case 'pattern':
      return '^.*$';
    case 'format':
      return 'date';
    case 'minimum':
    case 'exclusiveMinimum':
      return 0;
    case 'exclusiveMaximum':
    case 'maximum':
    case 'maxLength':
      return 100;
    case 'maxItems':
    case 'maxProperties':
      return 10;
    default:
      return 1;
  }
}

/** Summarizes a parameter in one line, such as "default “Paris” · max. length 40". */
export function summaryOf({ keywords, other }: SchemaNode): string {
  const parts = keywordsOf[keywords.type].flatMap((keyword): string[] => {
    const value = keywords[keyword];
    if (value === undefined) return [];
    switch (keyword) {
      case 'title':
        return [`“${String(value)}”`];
      case 'enum':
        return [`one of ${shortList(keywords.enum)}`];
      case 'examples':
        return [`e.g. ${shortList(keywords.examples)}`];
      case 'uniqueItems':
        return value === true ? ['unique items'] : [];
      case 'additionalProperties':
        return [
          value === false
            ? 'no other properties'
            : value === true
              ? 'any other properties'
              : 'other properties of one type',
        ];
      default:
        return [
          `${keywordNames[keyword].toLowerCase()} ${keyword === 'default' ? shortList([value as Typed]) : textOf(value as Typed)}`,
        ];
    }
  });
  // For type "other", the rules are shown right below.
  const rest = keywords.type === 'other' ? [] : Object.keys(other);
  return [...parts, ...(rest.length > 0 ? [`other rules: ${rest.slice(0, 5).join(', ')}`] : [])].join(' · ');
}

function shortList(values: readonly Typed[] = []): string {
  const shown = values
    .slice(0, 3)
    .map((value) => (typeof value === 'string' ? `“${value}”` : textOf(value)))
    .join(', ');
  return values.length > 3 ? `${shown}, … (${values.length})` : shown;
}

export function textOf(value: Typed): string {
  return value instanceof UnreadText ? value.text : String(value);
}
