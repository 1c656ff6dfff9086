/** What a server needs to find programs and its user's files. Nothing else of ours is handed on: it may hold secrets. */
const inherited =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'PROGRAMDATA',
        'PROGRAMFILES',
        'PROGRAMFILES(X86)',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'TMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER', 'XDG_CACHE_HOME'];

/** The environment of a server's process: a few variables of ours, then those of its definition. */
export function serverEnvironment(own: NodeJS.ProcessEnv, env: Record<string, string>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of inherited) {
    const value = own[name];
    // Bash exports functions as variables that begin so; another shell would run them.
    if (value !== undefined && !value.startsWith('()')) result[name] = value;
  }
  return { ...result, ...env };
}
