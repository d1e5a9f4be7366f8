import './typescript-hook.cjs';

// Jest asks for a default export here.
export default async function stopContainers(): Promise<void> {
  const engine = globalThis.containerTest;
  if (engine === undefined) return;
  if (process.env['KEEP_CONTAINERS'] === '1') process.stdout.write(`\nCONTAINER_STORAGE=${engine.directory}\n`);
  else await engine.close();
}
