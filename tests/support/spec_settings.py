"""The settings file of the user's specification, literally."""

SPEC_FILE = """\
[index]
paths = ["docs/**/*.md", "CLAUDE.md", "docs/memory/*.md"]
exclude = [".consigliere/**", ".git/**", "node_modules/**"]

[search]
default_top_k = 5
min_score = 0.3

[embedding]
enabled = false
model = "nomic-embed-text"
endpoint = "http://localhost:11434"
dimensions = 768

[rooms]
ios      = ["swift", "swiftui", "xcode", "ios_dev", "contentview"]
android  = ["kotlin", "gradle", "android", "room", "manifest"]
security = ["rls", "auth", "injection", "owasp", "cve", "sanitize"]
api      = ["endpoint", "route", "express", "node", "api"]
db       = ["schema", "migration", "supabase", "postgres", "sqlite"]
architecture = ["mvvm", "mvp", "clean", "architect", "pattern"]
history  = ["changelog", "completed", "resolved", "fixed"]
"""
