"""Where else content still is: stash, index, reflog, dangling objects, worktrees."""
