import { createAgent } from '../src/agents/edit-agents.ts';
import type { Hub } from '../src/index.ts';
import type { DemoModel } from './demo-runs.ts';

/** Adds an agent in Tools mode with a tested tool. */
export async function addOfferedTools(hub: Hub, { server }: DemoModel): Promise<void> {
  await createAgent(hub, travelDesk);
  server.add({
    text: 'I reserved two seats on the 9:40 to Kraków. Please confirm by Friday noon.',
    usage: { input: 640, output: 48 },
  });
  const { chats } = hub;
  const parameters = {
    trip: { destination: 'Kraków, Poland', departure_date: '2026-12-24' },
    passengers: [{ name: 'Ada Okafor', age: 36 }],
    cabin: 'economy',
  };
  const { id } = await chats.create({
    agentId: travelDesk.id,
    origin: { kind: 'test', tool: 'book_flight', parameters },
  });
  for await (const event of chats.events(id, { signal: AbortSignal.timeout(30_000) })) {
    if (event.type === 'answer.finished') return;
  }
}

const travelDesk = {
  id: 'travel-desk',
  name: 'Travel desk',
  description: 'Books and changes trips for the whole company.',
  mode: 'tools' as const,
  model: 'office/zebra-large',
  systemPrompt: 'You are the travel desk. Book trips within the travel policy, and answer in two sentences.',
  exposes: [
    {
      name: 'book_flight',
      description: 'Books a flight ticket for one or more people.',
      parameters: {
        type: 'object' as const,
        properties: {
          trip: {
            type: 'object' as const,
            description: 'Where to, and when',
            properties: {
              destination: {
                type: 'string' as const,
                description: 'City and country',
                examples: ['Kraków, Poland', 'Paris, France'],
              },
              departure_date: {
                type: 'string' as const,
                description: 'YYYY-MM-DD',
                examples: ['2026-12-24'],
                minLength: 10,
                maxLength: 10,
              },
            },
            required: ['destination', 'departure_date'],
          },
          passengers: {
            type: 'array' as const,
            minItems: 1,
            items: {
              type: 'object' as const,
              properties: {
                name: { type: 'string' as const, examples: ['Ada Okafor'] },
                age: { type: 'integer' as const, minimum: 0, examples: [36] },
              },
              required: ['name'],
            },
          },
          cabin: { type: 'string' as const, enum: ['economy', 'business'], default: 'economy' },
        },
        required: ['trip', 'passengers'],
      },
      prompt:
        'Book a flight to {trip.destination} on {trip.departure_date} in {cabin} class.\n\nPassengers: {passengers}\n\nAnswer as {{"seats": […]}}.',
    },
    {
      name: 'change_booking',
      description: 'Moves a booking to another day.',
      parameters: {
        type: 'object' as const,
        properties: {
          booking: { type: 'string' as const, examples: ['KQ7-204'] },
          day: { type: 'string' as const, examples: ['2027-01-08'] },
        },
        required: ['booking', 'day'],
      },
      prompt: 'Move booking {booking} to {day}.',
      cache: { seconds: 300 },
    },
    {
      name: 'travel_policy',
      description: 'Answers questions about the travel policy.',
      parameters: {
        type: 'object' as const,
        properties: { question: { type: 'string' as const, examples: ['May I fly business class to Lagos?'] } },
        required: ['question'],
      },
      prompt: '{question}\n\nQuote the policy.',
    },
  ],
};
