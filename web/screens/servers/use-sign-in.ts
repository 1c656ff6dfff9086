import { useSignIn } from '../../api/server-queries.ts';
import { showError, showToast } from '../../ui/toast.tsx';

/** Opens the server's own page in a new tab; the state here changes by itself when the person is done there. */
export function useStartSignIn(name: string): { start: () => void; isPending: boolean } {
  const signIn = useSignIn(name);
  const start = () => {
    // Opened while the click counts as one: a tab that opens after an answer came is taken for an advertisement.
    const tab = window.open('', '_blank');
    signIn.mutate(undefined, {
      onSuccess: ({ url }) => {
        if (url === null) {
          tab?.close();
          showToast(`“${name}” needs no sign-in now`);
        } else if (!isWebAddress(url)) {
          // It comes from a foreign server, and some addresses are programs.
          tab?.close();
          showError('Not opened', new Error('The server named a sign-in page that is not http or https.'));
        } else if (tab) {
          tab.opener = null;
          tab.location.href = url;
        } else {
          showToast('The browser kept the sign-in page from opening', {
            action: { label: 'Open it', onClick: () => void window.open(url, '_blank', 'noopener') },
          });
        }
      },
      onError: (error) => {
        tab?.close();
        showError('The sign-in could not begin', error);
      },
    });
  };
  return { start, isPending: signIn.isPending };
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
