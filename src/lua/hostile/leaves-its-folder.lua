function agent.resolve(args)
  local results = {}
  for index, path in ipairs(args.paths) do
    local fine, reason = pcall(fs.read, path)
    results[index] = fine and ("read " .. path) or reason
  end
  for _, path in ipairs(args.paths) do
    local fine, reason = pcall(fs.list, path)
    results[#results + 1] = fine and ("listed " .. path) or reason
  end
  return results
end
