/** The logo: a face looking over a fence. */
export function BrandMark({ size = 26 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden focusable="false" className="shrink-0">
      <rect width="32" height="32" rx="9" fill="#12704a" />
      <path
        d="M7.5 13.5 8.8 6l6 4.2M24.5 13.5 23.2 6l-6 4.2"
        fill="#f3ead7"
        stroke="#f3ead7"
        strokeWidth="2"
        strokeLinejoin="round"
      />
      <circle cx="16" cy="17.5" r="9.5" fill="#f3ead7" />
      <circle cx="12.4" cy="16.2" r="1.5" fill="#17352a" />
      <circle cx="19.6" cy="16.2" r="1.5" fill="#17352a" />
      <path d="M14.6 20.2h2.8L16 22z" fill="#d9622b" stroke="#d9622b" strokeWidth="1.2" strokeLinejoin="round" />
    </svg>
  );
}
