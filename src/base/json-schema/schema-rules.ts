import { isRecord } from '../is-record.ts';
import { LinearPattern } from './linear-pattern.ts';
import { PatternFault } from './read-pattern.ts';
import { effectiveSchema, type SchemaDocument, type SchemaObject, type SchemaResource } from './schema-document.ts';
import { keywordRules, lateRules } from './schema-keywords.ts';
import type { Check, MakeRule, RuleMaker, Rules } from './schema-run.ts';

/** The rules of all schemas in a document. Each is compiled when it is first needed. */
export class RuleBook {
  readonly #document: SchemaDocument;
  readonly #judgesPatterns: boolean;
  readonly #knownRules = new Map<unknown, Rules>();
  readonly #patterns = new Map<string, LinearPattern | undefined>();

  constructor(document: SchemaDocument, options: { judgesPatterns: boolean }) {
    this.#document = document;
    this.#judgesPatterns = options.judgesPatterns;
  }

  get main(): Rules {
    return this.rulesOf(this.#document.main.root);
  }

  /** Returns the rules of a schema inside the document. */
  rulesOf(schema: unknown): Rules {
    return this.#rulesOf(schema, this.#document.main);
  }

  #rulesOf(schema: unknown, outer: SchemaResource): Rules {
    if (!isRecord(schema)) return { resource: outer, checks: schema === false ? [never] : [], late: [] };
    const known = this.#knownRules.get(schema);
    if (known) return known;
    return this.#makeLater(schema, this.#document.resourceOf(schema, outer));
  }

  /** Compiles the rules when they are first applied, because a schema may refer to itself. */
  #makeLater(schema: SchemaObject, resource: SchemaResource): Rules {
    const make = () => this.#make(schema, resource);
    let compiled: Omit<Rules, 'resource'> | undefined;
    const rules: Rules = {
      resource,
      get checks() {
        compiled ??= make();
        return compiled.checks;
      },
      get late() {
        compiled ??= make();
        return compiled.late;
      },
    };
    this.#knownRules.set(schema, rules);
    return rules;
  }

  #make(written: SchemaObject, resource: SchemaResource): Omit<Rules, 'resource'> {
    const schema = effectiveSchema(written, resource);
    const maker: RuleMaker = {
      schema,
      inside: (child) => this.#rulesOf(child, resource),
      referred: (reference) => {
        const found = this.#document.find(reference, resource);
        if (!found) return undefined;
        return { rules: this.#rulesOf(found.schema, found.resource), dynamicName: found.dynamicName };
      },
      anchored: (from, name) => {
        const anchored = from.dynamicAnchors.get(name);
        return anchored && this.#rulesOf(anchored, from);
      },
      pattern: (source) => this.#pattern(source),
    };
    const checksFrom = (table: Record<string, MakeRule>): Check[] =>
      Object.entries(table).flatMap(([keyword, make]) => {
        const rule = Object.hasOwn(schema, keyword) ? make(maker, schema[keyword]) : undefined;
        return rule ? [rule] : [];
      });
    return { checks: checksFrom(keywordRules), late: checksFrom(lateRules) };
  }

  #pattern(source: string): LinearPattern | undefined {
    if (!this.#judgesPatterns) return undefined;
    if (!this.#patterns.has(source)) this.#patterns.set(source, readOrSkip(source));
    return this.#patterns.get(source);
  }
}

/** Returns undefined for a faulty pattern; `schemaFaults` reports what is wrong with it. */
function readOrSkip(source: string): LinearPattern | undefined {
  try {
    return new LinearPattern(source);
  } catch (error) {
    if (error instanceof PatternFault) return undefined;
    throw error;
  }
}

const never: Check = (_value, path, run) => run.report(path, 'is not accepted');
