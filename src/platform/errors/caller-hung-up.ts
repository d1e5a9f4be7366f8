/** The caller has gone before it was answered; nothing that is thrown for it is sent to anybody. */
export class CallerHungUp extends Error {
  constructor() {
    super('The caller has gone.');
  }
}
