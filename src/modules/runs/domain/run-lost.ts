/** The run no longer belongs to this worker: it was cancelled, or its lease ended and another worker has it. */
export class RunLost extends Error {
  constructor() {
    super('The run belongs to another worker, or is over.');
  }
}

/** This process stops. The run goes back, and any worker takes it. */
export class RunWorkerStops extends Error {
  constructor() {
    super('The worker stops.');
  }
}
