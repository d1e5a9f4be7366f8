/** At most 8 KiB of UTF-8; what a tool takes is counted in characters, and checked in bytes as well. */
export const MAX_MEMORY_BYTES = 8_192;
export const MAX_MEMORY_CHARACTERS = 8_192;
export const MAX_TAGS = 10;
export const MAX_QUERY_CHARACTERS = 500;
export const TAG = /^[a-z0-9][a-z0-9_-]{0,39}$/;
