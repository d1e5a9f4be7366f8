/** The templates of repositories (service document §2), whose files are in `templates/`. */
export const TEMPLATES = ['nextjs', 'expo', 'ai-chat'] as const;
export type TemplateName = (typeof TEMPLATES)[number];
