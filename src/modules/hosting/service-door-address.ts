/** Where the server of an app reaches models and buckets of this service, if one of its variables is a key. */
export const SERVICE_DOOR_ADDRESS = 'http://127.0.0.1:9797';
