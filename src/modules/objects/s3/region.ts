/** There is one region. Signatures for any other are accepted, because clients differ in what they sign for. */
export const REGION = 'us-east-1';
