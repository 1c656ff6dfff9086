/** Shows how to set the price of a model. */
export function PriceHint() {
  return (
    <>
      <p className="mb-1">In zoo.toml, in US dollars per million tokens (0 if the model is free):</p>
      <pre className="overflow-x-auto rounded-lg border border-line bg-sunken p-2 font-mono">
        {'[providers.openai.prices."gpt-5"]\ninput = 1.25\noutput = 10.0'}
      </pre>
    </>
  );
}
