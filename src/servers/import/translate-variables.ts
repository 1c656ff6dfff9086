type Entry = Record<string, unknown>;

/** Those that an editor fills by itself. */
const ofEditors = /^(?:workspaceFolder|workspaceFolderBasename|workspaceRoot|file|fileDirname|command)$/;

/** Turns the variables of other clients into ours, `${VAR}`; what has no counterpart becomes a problem that names its key. */
export function translateVariables(entry: Entry, problems: string[]): Entry {
  return translate(entry, []) as Entry;

  function translate(value: unknown, path: readonly string[]): unknown {
    if (typeof value === 'string') return value.includes('${') ? translateText(value, path.join('.')) : value;
    if (path.length > 10) return value;
    if (Array.isArray(value)) return value.map((each, index) => translate(each, [...path, String(index)]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, translate(each, [...path, key])]));
  }

  function translateText(text: string, key: string): string {
    return text.replace(/\$\{([^}:]+)(?::([^}-][^}]*))?\}/g, (whole, kind: string, name: string | undefined) => {
      if (kind === 'env' && name !== undefined) return `\${${name}}`;
      if (kind === 'input' && name !== undefined) {
        const variable = toVariable(name);
        problems.push(`${key}: asks a person for "${name}"; set the environment variable ${variable} instead`);
        return `\${${variable}}`;
      }
      if (kind === 'userHome') return `\${HOME}`;
      if (kind === 'pathSeparator' || kind === '/') return '/';
      if (ofEditors.test(kind)) problems.push(`${key}: only an editor knows ${whole}; write what it stands for`);
      return whole;
    });
  }
}

function toVariable(name: string): string {
  const variable = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return /^[0-9]/.test(variable) ? `_${variable}` : variable;
}
