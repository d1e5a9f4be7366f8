/**
 * What an administrator has given of a provider cannot be used. The message is for them: it says what is wrong and what
 * to do, and repeats nothing of the document.
 */
export class SamlMetadataRefused extends Error {}
