function agent.resolve()
  return fs.read(string.rep("a/", 4000000))
end
