import { useSignIn } from '../../api/server-queries.ts';
import { showError, showToast } from '../../ui/toast.tsx';

/** Opens the sign-in page in a new tab. The state here updates when the user has signed in. */
export function useStartSignIn(name: string): { start: () => void; isPending: boolean } {
  const signIn = useSignIn(name);
  const start = () => {
    // Opens the tab during the click, because browsers block tabs that open later.
    const tab = window.open('', '_blank');
    signIn.mutate(undefined, {
      onSuccess: ({ url }) => {
        if (url === null) {
          tab?.close();
          showToast(`“${name}” needs no sign-in`);
        } else if (!isWebUrl(url)) {
          // The URL comes from a foreign server and could be a script.
          tab?.close();
          showError('Sign-in page blocked', new Error('The sign-in page must use http or https.'));
        } else if (tab) {
          tab.opener = null;
          tab.location.href = url;
        } else {
          showToast('Your browser blocked the sign-in page', {
            action: { label: 'Open', onClick: () => void window.open(url, '_blank', 'noopener') },
          });
        }
      },
      onError: (error) => {
        tab?.close();
        showError('The sign-in could not start', error);
      },
    });
  };
  return { start, isPending: signIn.isPending };
}

function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
