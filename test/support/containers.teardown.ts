import './typescript-hook.cjs';

// Jest asks for a default export here.
export default async function stopContainers(): Promise<void> {
  await globalThis.containerTest?.close();
}
