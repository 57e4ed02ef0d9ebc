"""The settings files that `consigliere init` writes: every setting with its default, commented out."""

DEFAULTS = """\
# Settings of consigliere for this project. All of it may be left out: what is commented out shows
# the default. `consigliere config` tells what is in force, and where each value comes from.

# The language of messages: auto (by the terminal's locale), ko or en.
# lang = "auto"

[index]
# Only these documents, as git-style patterns; an empty list means every document under the root.
# paths = []
# Leave these out, beside what git ignores.
# exclude = [".consigliere/**", ".git/**", "node_modules/**"]
# Only these source files; an empty list means every known language.
# code_paths = []
# Index source code too.
# code = true
# Follow changes of files as they happen.
# watch = true
# Larger files are left out, and counted in `consigliere status`.
# max_file_bytes = 5242880
# Longer sections are split at paragraphs, list items or table rows.
# split_tokens = 400

[search]
# How many hits, where the caller does not say.
# default_top_k = 5
# Hits that hold less than this share (0 to 1) of the question's words are not shown.
# min_score = 0.3
# The share of vectors in the score; the rest is words.
# alpha = 0.35
# What a hit in a main room of the role gets on top.
# beta = 0.0
# convex (weighted sum) or rrf (reciprocal ranks).
# fusion = "convex"

[embedding]
# false is the light mode: words alone.
# enabled = true
# auto, bundled, quality, ollama, sentence-transformers or none.
# backend = "auto"
# These three are for the Ollama backend.
# model = "nomic-embed-text"
# endpoint = "http://localhost:11434"
# dimensions = 768

# A room is a soft topic: a section is in it if it holds one of the words.
[rooms]
# ios = ["swift", "swiftui", "xcode", "ios_dev", "contentview"]

# Files that match a pattern get a type, whatever their name says.
[types]
# "plans/**/*-plan.md" = "wbs"

# A role: main rooms, the weight of each type of document (0.7 to 1.5), other names.
# [roles.ios_developer]
# rooms = ["ios"]
# types = { changelog = 1.5, rules = 1.4 }
# aliases = ["ios_dev"]
"""

AGENTS = """\
# Settings of consigliere for a project of several agents, each of which asks with --role NAME.
# `consigliere config` tells what is in force, and where each value comes from.

[index]
exclude = [".consigliere/**", ".git/**", "node_modules/**"]

[search]
default_top_k = 5
min_score = 0.3

# A room is a soft topic: a section is in it if it holds one of the words.
[rooms]
ios = ["swift", "swiftui", "xcode", "ios_dev", "contentview"]
android = ["kotlin", "gradle", "android", "room", "manifest"]
security = ["rls", "auth", "injection", "owasp", "cve", "sanitize"]
api = ["endpoint", "route", "express", "node", "api"]
db = ["schema", "migration", "supabase", "postgres", "sqlite"]
architecture = ["mvvm", "mvp", "clean", "architect", "pattern"]
history = ["changelog", "completed", "resolved", "fixed"]

# Every role that the project has is known already (director, pm, cto, ios_developer, ...); here is
# how to add one, or to change its weights.
# [roles.game_designer]
# rooms = ["history"]
# types = { changelog = 1.3, rules = 1.4 }
# aliases = ["designer_game"]
"""
