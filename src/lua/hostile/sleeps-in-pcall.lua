function agent.resolve()
  while true do pcall(sleep, 0.005) end
end
